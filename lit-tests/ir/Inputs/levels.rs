// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each level owns three of the one below, in three ways: what the library does
// with one of a level, it does with three of the level below. Likewise pairs.
#![allow(dead_code)]
macro_rules! level {
    ($Name:ident, $Below:ident) => {
        #[derive(Clone, Default)]
        pub struct $Name {
            one: $Below,
            several: Vec<$Below>,
            boxed: Option<Box<$Below>>,
        }
    };
}

#[derive(Clone, Default)]
pub struct Zero {
    text: String,
    names: Vec<String>,
}
level!(One, Zero);
level!(Two, One);
level!(Three, Two);
level!(Four, Three);
level!(Five, Four);

fn collect(from: &[Five]) -> Vec<Five> {
    from.iter().filter(|each| each.several.is_empty()).cloned().collect()
}

type Pair = (Vec<u8>, Vec<u8>);
type Pairs = ((Pair, Pair), (Pair, Pair));
type Many = ((Pairs, Pairs), (Pairs, Pairs));

fn main() {
    let pairs: Many = Default::default();
    let mut same = ((pairs.clone(), pairs.clone()), pairs.clone());
    same.1.0.0.0.0.0.push(1);
    println!("{}", same.clone().1.0.0.0.0.0.len());
    let mut all = vec![Five::default()];
    all[0].one.one.one.one.one.names.push(String::from("a name"));
    for _ in 0..std::env::args().count() {
        let mut more = collect(&all);
        more[0].several.push(all[0].one.clone());
        all.append(&mut more);
    }
    println!("{}", all.len());
}
