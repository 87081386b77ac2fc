// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes, counted pointers, a map and trait objects: docs/rust.md records them.
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

struct Item {
    id: u64,
    name: String,
    next: Option<Box<Item>>,
}

struct Shared {
    prices: [u64; 4],
}

trait Shape {
    fn area(&self) -> f64;
}

struct Circle {
    radius: f64,
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        self.radius * self.radius * 3.0
    }
}

fn boxes(count: u64) -> Vec<Box<Item>> {
    let mut items = Vec::new();
    for id in 0..count {
        items.push(Box::new(Item { id, name: format!("item number {id}"), next: None }));
    }
    items
}

fn shared(count: u64) -> Vec<Rc<Shared>> {
    (0..count).map(|i| Rc::new(Shared { prices: [i; 4] })).collect()
}

fn main() {
    let items = boxes(100);
    let rcs = shared(50);
    let arcs: Vec<Arc<Shared>> = (0..20).map(|i| Arc::new(Shared { prices: [i; 4] })).collect();
    let mut names = HashMap::new();
    for i in 0..30u64 {
        names.insert(i, i.to_string());
    }
    let shapes: Vec<Box<dyn Shape>> = (0..10).map(|i| Box::new(Circle { radius: f64::from(i) }) as Box<dyn Shape>).collect();
    let area: f64 = shapes.iter().map(|shape| shape.area()).sum();
    let ids: u64 = items.iter().map(|item| item.id + item.name.len() as u64 + u64::from(item.next.is_some())).sum();
    println!("{ids} {area} {} {} {}", rcs[1].prices[0], arcs[1].prices[3], names.len());
}
