# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the programs of the corpus read: made here, the same every time."""
import json
import os


def words(count, seed=1):
    syllables = ["al", "be", "cor", "den", "el", "fin", "gor", "hal", "in", "jo", "kel", "lum", "mor", "nes", "or"]
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) & 0x7fffffff
        yield "".join(syllables[(seed >> shift) % len(syllables)] for shift in (4, 9, 14)[: 1 + (seed >> 20) % 3])


def items(count):
    for number, name in enumerate(words(count)):
        yield {"name": f"{name} {number}", "price": number % 100 + 0.5,
               "values": [number * k % 97 for k in range(number % 9)],
               "prices": {f"{word}{k}": k + 0.25 for k, word in enumerate(words(1 + number % 4, number))}}


def commands(all_items):
    """Of redis-cli, for each kind of value."""
    for number, item in enumerate(all_items):
        name = item["name"].replace(" ", ":")
        yield f"SET {name} {'x' * (number % 90)}\nRPUSH list:{number % 40} {name} {number}\nSADD set:{number % 30} {name}\n"
        yield f"ZADD sorted:{number % 20} {item['price']} {name}\n"
        yield "".join(f"HSET hash:{number % 60} {key} {price}\n" for key, price in item["prices"].items())
        yield f"XADD stream:{number % 5} * name {name}\nEXPIRE {name} 1000\n"
    yield "EVAL \"return redis.call('GET', KEYS[1])\" 1 set:1\nLRANGE list:1 0 -1\nSORT list:2 ALPHA\nOBJECT ENCODING set:2\nDEL list:3\n"


def xml(all_items):
    yield '<?xml version="1.0"?>\n<!DOCTYPE list [<!ENTITY shop "the shop"><!ATTLIST item kind CDATA "plain">]>\n<list>'
    for item in all_items:
        yield f'<item id="{item["values"]}" note="a &lt;note&gt;"><name>{item["name"]}</name><price>{item["price"]}</price>'
        yield "".join(f"<value>{value}</value>" for value in item["values"]) + " sold by &shop;</item>"
    yield "</list>"


SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="list"><xs:complexType><xs:sequence>
<xs:element name="item" maxOccurs="unbounded"><xs:complexType mixed="true"><xs:sequence>
<xs:element name="name" type="xs:string"/><xs:element name="price" type="xs:decimal"/>
<xs:element name="value" type="xs:integer" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
<xs:attribute name="id" type="xs:string"/><xs:attribute name="note" type="xs:string"/>
<xs:attribute name="kind" type="xs:string"/></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element></xs:schema>
"""

SCRIPT = """function Item(name, n) { this.name = name; this.n = n; this.list = []; }
Item.prototype.add = function (x) { this.list.push(x); return this; };
var all = {}, sum = 0;
for (var i = 0; i < 4000; ++i) {
  var item = new Item("item " + i, i);
  for (var j = 0; j < i % 7; ++j) item.add(function (k) { return function () { return k + i; }; }(j));
  all[item.name.replace(/[0-9]+$/, function (d) { return "<" + d + ">"; })] = item;
}
for (var key in all) { sum += all[key].list.length; try { if (all[key].n % 100 == 0) throw new Error(key); } catch (e) { sum++; } }
var text = JSON.stringify(all), back = JSON.parse(text);
print(sum, text.length, text.split(",").sort().slice(0, 3).join(), new Date(0).getTime());
"""

AWK = """{ for (i = 1; i <= NF; ++i) { count[tolower($i)]++; gsub(/[aeiou]/, "<&>", $i); seen[$i, NR % 10] = $i "-" i } }
function twice(s) { return s s }
END { n = asorti(count, order); for (i = 1; i <= n; ++i) total += length(twice(order[i])) * count[order[i]]
  split("one two three", parts); print n, length(seen), total, toupper(parts[2]), sprintf("%05.2f", total / 7) }
"""


def make(folder, count=6000):
    """Writes all inputs that are not there yet; count items in each document."""
    os.makedirs(folder, exist_ok=True)

    def write(name, text):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            with open(path, "w") as file:
                file.write(text)
    many = list(items(count))
    write("doc.json", json.dumps({"title": "a list", "items": many}))
    write("doc.xml", "\n".join(xml(many)))
    write("doc.xsd", SCHEMA)
    write("doc.html", "<html><body>" + "".join(
        f"<h2 class=x>{i['name']}<table><tr><td>{i['price']}<td>&amp;<b>{len(i['values'])}</table>" for i in many) + "</html>")
    write("doc.yaml", "title: a list\nitems:\n" + "".join(
        f"  - name: '{i['name']}'\n    values: {i['values']}\n    prices:\n" +
        "".join(f"      {key}: {value}\n" for key, value in i["prices"].items()) for i in many[: count // 4]))
    write("doc.md", "".join(
        f"## {i['name']}\n\n*Price* is **{i['price']}**, [link](http://x.y/{n} \"title\") and `code`.\n\n" +
        "".join(f"{k}. point *{v}*\n" for k, v in enumerate(i["values"])) + "\n> quote\n\n[ref]: /url\n\n"
        for n, i in enumerate(many[: count // 2])))
    text = list(words(60000))
    write("doc.txt", "\n".join(" ".join(text[at:at + 12]) for at in range(0, len(text), 12)) + "\n")
    write("words.awk", AWK)
    write("commands.txt", "".join(commands(many[:2000])))
    write("script.js", SCRIPT)
    with open(os.path.join(os.path.dirname(__file__), os.pardir, "programs", "script.lua")) as file:
        write("script.lua", file.read())
    write("many.c", "#define TWICE(x) ((x) + (x))\n" + "".join(
        f"struct s{n} {{ int a; char *b; struct s{n} *next; }};\n"
        f"static int f{n}(struct s{n} *p, int x) {{ int sum = 0; for (int i = 0; i < x; ++i) {{ if (p->a > i) sum += TWICE(i); "
        f"else p = p->next ? p->next : p; }} return sum + p->a; }}\n"
        f"int g{n}(int x) {{ struct s{n} a = {{ x, \"text {n}\", 0 }}; return f{n}(&a, x) + a.b[0]; }}\n" for n in range(300)))
    write("build.ninja", "rule cc\n  command = cc $flags -c $in -o $out\n  description = CC $out\n  depfile = $out.d\n"
          "rule link\n  command = cc $in -o $out\n" + "".join(
              f"build out/f{n}.o: cc {folder}/doc.txt | {folder}/doc.md\n  flags = -O{n % 3} -DN={n}\n" for n in range(count * 2 // 3)) +
          "".join(f"build out/p{n}: link {' '.join(f'out/f{k}.o' for k in range(n * 10, n * 10 + 10))}\n" for n in range(count // 15)))
