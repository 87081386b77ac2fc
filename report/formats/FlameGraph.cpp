//===- FlameGraph.cpp - Call stacks as a picture or folded lines ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/formats/FlameGraph.h"

#include "report/base/Units.h"
#include "report/formats/Markup.h"
#include "report/names/TypeName.h"
#include "report/text/LocationText.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace inmem::report {

namespace {

uint64_t valueOf(const StackResult &S, FlameMetric Of) {
  switch (Of) {
  case FlameMetric::Cpu:
  case FlameMetric::Wall:
  case FlameMetric::Bytes:
    return S.Sum.AllocatedBytes;
  case FlameMetric::Count:
    return S.Sum.Allocations;
  case FlameMetric::Live:
    return S.Sum.LiveBytes;
  case FlameMetric::Peak:
    return S.PeakLiveBytes;
  case FlameMetric::Lived:
    return S.LivedSum > 0 ? static_cast<uint64_t>(std::llround(S.LivedSum)) : 0;
  }
  return 0;
}

std::string nameOf(const StackFrame &F, bool ByLine) {
  std::string Name = shortFunction(F.Where.Function);
  if (ByLine && F.Where.Line)
    Name +=
        fmt::format(" {}:{}", F.Where.File.substr(F.Where.File.rfind('/') + 1),
                    F.Where.Line);
  return Name;
}

/// Boxes by name. As usual, boxes are sorted by name, so that two pictures of
/// one program look alike.
struct Box {
  uint64_t Value = 0;
  bool IsType = false;
  std::map<std::string, std::unique_ptr<Box>> Children;
};

bool isTime(FlameMetric Of) {
  return Of == FlameMetric::Cpu || Of == FlameMetric::Wall;
}

/// Samples in the form of blocks.
std::vector<StackResult> stacksOf(const Profile &P, FlameMetric Of) {
  std::vector<StackResult> Out;
  if (!P.Samples ||
      P.Samples->Clock != (Of == FlameMetric::Cpu ? "cpu" : "wall"))
    return Out;
  for (const SampledStack &S : P.Samples->Stacks) {
    StackResult R;
    R.Frames = S.Frames;
    R.Sum.AllocatedBytes = S.Count * P.Samples->IntervalNs;
    Out.push_back(std::move(R));
  }
  return Out;
}

Box boxes(const Profile &P, const FlameOptions &Options) {
  const std::vector<uint32_t> Groups =
      frameGroups(P.Calls, Options.Tree.ByLine);
  Box Root;
  const bool Time = isTime(Options.Of);
  const bool Types = Options.Types && !Time;
  const std::vector<StackResult> Samples =
      Time ? stacksOf(P, Options.Of) : std::vector<StackResult>();
  for (const StackResult &S : Time ? Samples : P.Calls.Stacks) {
    const uint64_t Value = valueOf(S, Options.Of);
    if (Value == 0)
      continue;
    Box *At = &Root;
    At->Value += Value;
    const auto Enter = [&](const std::string &Name, bool IsType) {
      std::unique_ptr<Box> &Child = At->Children[Name];
      if (!Child)
        Child = std::make_unique<Box>();
      At = Child.get();
      At->IsType |= IsType;
      At->Value += Value;
    };
    std::vector<uint32_t> Frames = S.Frames;
    if (Options.Tree.BottomUp)
      std::reverse(Frames.begin(), Frames.end());
    if (Options.Tree.MergeRecursion)
      Frames = mergeRecursion(Frames, Groups);
    const std::string Type = !Types ? std::string()
                             : S.Site < P.Sites.size()
                                 ? blocksText(Style{}, P, P.Sites[S.Site])
                                 : typeText(Style{}, P.Types[S.Type]);
    if (Types && Options.Tree.BottomUp)
      Enter(Type, true);
    for (const uint32_t F : Frames)
      Enter(nameOf(P.Calls.Frames[F], Options.Tree.ByLine), false);
    if (Types && !Options.Tree.BottomUp)
      Enter(Type, true);
  }
  return Root;
}

std::string human(uint64_t Value, FlameMetric Of, const Profile &P) {
  return Of == FlameMetric::Count   ? counted(Value, "block")
         : Of == FlameMetric::Lived ? humanLifetime(Value, P.LifetimeUnit, true)
         : isTime(Of) ? humanLifetime(Value, Unit::Nanoseconds, true)
                      : humanBytes(Value);
}

void fold(const Box &B, const std::string &Above, std::string &Out) {
  uint64_t Below = 0;
  for (const auto &[Name, Child] : B.Children) {
    Below += Child->Value;
    std::string Path = Above + (Above.empty() ? "" : ";");
    for (const char C : Name)
      Path += C == ';' ? ':' : C == '\n' ? ' ' : C;
    fold(*Child, Path, Out);
  }
  if (B.Value > Below && !Above.empty())
    Out += fmt::format("{} {}\n", Above, B.Value - Below);
}

constexpr double kWidth = 1200, kMargin = 10, kRow = 17, kTop = 52;
/// Narrower boxes are invisible, and left out.
constexpr double kLeastWidth = 0.15;

unsigned depthOf(const Box &B, double PerUnit) {
  unsigned Deepest = 0;
  for (const auto &[Name, Child] : B.Children)
    if (static_cast<double>(Child->Value) * PerUnit >= kLeastWidth)
      Deepest = std::max(Deepest, 1 + depthOf(*Child, PerUnit));
  return Deepest;
}

/// A name has the same colour in all pictures. Types are blue.
std::string colourOf(std::string_view Name, bool IsType) {
  uint32_t Hash = 2166136261u;
  for (const char C : Name)
    Hash = (Hash ^ static_cast<unsigned char>(C)) * 16777619u;
  const unsigned A = Hash >> 24, B = Hash >> 16 & 255, C = Hash >> 8 & 255;
  return IsType ? fmt::format("rgb({},{},{})", 120 + A * 40 / 255,
                              160 + B * 40 / 255, 215 + C * 40 / 255)
                : fmt::format("rgb({},{},{})", 215 + A * 40 / 255,
                              90 + B * 130 / 255, 40 + C * 40 / 255);
}

/// The name, cut to the room.
std::string labelOf(const std::string &Name, size_t Room) {
  if (displayWidth(Name) <= Room)
    return Name;
  size_t End = Room - 2;
  while (End > 0 && (static_cast<unsigned char>(Name[End]) & 0xc0) == 0x80)
    --End; // do not split a character
  return Name.substr(0, End) + "..";
}

class Drawer {
public:
  Drawer(const Profile &Of, const FlameOptions &With, const Box &Root)
      : P(Of), O(With), All(Root.Value),
        PerUnit((kWidth - 2 * kMargin) / static_cast<double>(Root.Value)),
        Depth(depthOf(Root, PerUnit)) {}

  double height() const { return kTop + (Depth + 1) * kRow + 30; }
  void draw(pugi::xml_node Into, const Box &B, const std::string &Name,
            double X, unsigned Level);

private:
  const Profile &P;
  const FlameOptions &O;
  uint64_t All;
  double PerUnit;
  unsigned Depth;
};

void Drawer::draw(pugi::xml_node Into, const Box &B, const std::string &Name,
                  double X, unsigned Level) {
  const double Width = static_cast<double>(B.Value) * PerUnit;
  if (Width < kLeastWidth)
    return;
  const double Y = kTop + (Depth - Level) * kRow;
  constexpr double kCharacter = 6.6;
  const auto Room =
      static_cast<size_t>(std::max(0.0, (Width - 6) / kCharacter));
  pugi::xml_node Group = addElement(Into, "g", {{"class", "b"}});
  addElement(Group, "title", {},
             fmt::format("{}: {}, {}", Name, human(B.Value, O.Of, P),
                         humanShare(B.Value, All)));
  addElement(Group, "rect",
             {{"x", fmt::format("{:.2f}", X)},
              {"y", fmt::format("{:.1f}", Y)},
              {"width", fmt::format("{:.2f}", Width)},
              {"height", fmt::format("{:.1f}", kRow - 1)},
              {"fill", colourOf(Name, B.IsType)}});
  addElement(Group, "text",
             {{"x", fmt::format("{:.2f}", X + 3)},
              {"y", fmt::format("{:.1f}", Y + 12)}},
             Room < 3 ? "" : labelOf(Name, Room));
  double At = X;
  for (const auto &[ChildName, Child] : B.Children) {
    draw(Into, *Child, ChildName, At, Level + 1);
    At += static_cast<double>(Child->Value) * PerUnit;
  }
}

constexpr std::string_view kLook =
    "text{font:11px monospace} .b{cursor:pointer} .b:hover rect{stroke:#000} "
    ".b text{pointer-events:none} .k{cursor:pointer;fill:#555}";

/// Zoom on a click, search on Ctrl-F or the word at the top.
constexpr std::string_view kScript =
    R"js(var W=1200,M=10,boxes=[],svg=document.documentElement;
function init(){
  document.querySelectorAll('g.b').forEach(function(g){
    var r=g.querySelector('rect');
    var b={g:g,r:r,t:g.querySelector('text'),x:+r.getAttribute('x'),w:+r.getAttribute('width'),
      y:+r.getAttribute('y'),f:r.getAttribute('fill'),n:g.querySelector('title').textContent};
    b.name=b.n.substring(0,b.n.lastIndexOf(':'));
    boxes.push(b);g.addEventListener('click',function(){zoom(b);});});
  document.getElementById('reset').addEventListener('click',function(){zoom(boxes[0]);});
  document.getElementById('search').addEventListener('click',search);
  window.addEventListener('keydown',function(e){if((e.ctrlKey||e.metaKey)&&e.key=='f'){e.preventDefault();search();}});
}
function label(b,w){
  var n=Math.floor((w-6)/6.6);
  b.t.textContent=n<3?'':b.name.length<=n?b.name:b.name.substring(0,n-2)+'..';
}
function zoom(z){
  var k=(W-2*M)/z.w;
  boxes.forEach(function(b){
    var above=b.y<=z.y,inside=b.x>=z.x-0.01&&b.x+b.w<=z.x+z.w+0.01;
    var around=b.y>z.y&&b.x<=z.x+0.01&&b.x+b.w>=z.x+z.w-0.01;
    if(!(above&&inside)&&!around){b.g.style.display='none';return;}
    var x=around?M:M+(b.x-z.x)*k,w=around?W-2*M:b.w*k;
    b.g.style.display='';b.g.style.opacity=around?0.5:1;
    b.r.setAttribute('x',x);b.r.setAttribute('width',w);b.t.setAttribute('x',x+3);label(b,w);});
}
function search(){
  var word=prompt('Mark boxes whose name has (a regular expression; empty: none)','');
  if(word===null)return;
  var re=null;
  try{re=word?new RegExp(word):null;}catch(e){alert(e.message);return;}
  boxes.forEach(function(b){b.r.setAttribute('fill',re&&re.test(b.name)?'rgb(200,0,220)':b.f);});
}
window.addEventListener('load',init);)js";

} // namespace

std::span<const FlameMetricName> flameMetrics() {
  static constexpr FlameMetricName kAll[] = {
      {FlameMetric::Bytes, "bytes", "bytes allocated"},
      {FlameMetric::Count, "count", "blocks allocated"},
      {FlameMetric::Live, "live", "bytes alive at the end"},
      {FlameMetric::Peak, "peak", "bytes alive when the process had most"},
      {FlameMetric::Lived, "lived", "lifetimes of freed blocks, added up"},
      {FlameMetric::Cpu, "cpu", "CPU time"},
      {FlameMetric::Wall, "wall", "time of all threads, running or not"}};
  return kAll;
}

std::string foldedStacks(const Profile &P, const FlameOptions &Options) {
  std::string Out;
  fold(boxes(P, Options), "", Out);
  return Out;
}

std::string flameGraph(const Profile &P, const FlameOptions &Options) {
  const Box Root = boxes(P, Options);
  const auto Names = flameMetrics();
  const auto Metric =
      std::find_if(Names.begin(), Names.end(), [&](const FlameMetricName &N) {
        return N.What == Options.Of;
      });
  std::string Title = Options.Title;
  Title += (Title.empty() ? "" : ": ") + std::string(Metric->Help);
  pugi::xml_document Document;
  const auto Picture = [&](double Height) {
    const std::string Tall = fmt::format("{:.0f}", Height);
    return addElement(Document, "svg",
                      {{"xmlns", "http://www.w3.org/2000/svg"},
                       {"width", fmt::format("{}", kWidth)},
                       {"height", Tall},
                       {"viewBox", fmt::format("0 0 {} {}", kWidth, Tall)}});
  };
  if (Root.Value == 0) {
    addElement(Picture(60), "text", {{"x", "10"}, {"y", "30"}},
               Title + ": none");
    return written(Document, Dialect::Xml);
  }
  Drawer D(P, Options, Root);
  pugi::xml_node Svg = Picture(D.height());
  const std::string Margin = fmt::format("{}", kMargin);
  addElement(Svg, "style", {}, kLook);
  addElement(Svg, "rect",
             {{"width", "100%"}, {"height", "100%"}, {"fill", "#fdfdf6"}});
  addElement(Svg, "text",
             {{"x", Margin}, {"y", "22"}, {"style", "font-size:16px"}}, Title);
  addElement(Svg, "text",
             {{"class", "k"}, {"id", "reset"}, {"x", Margin}, {"y", "42"}},
             "reset");
  addElement(Svg, "text",
             {{"class", "k"}, {"id", "search"}, {"x", "70"}, {"y", "42"}},
             "search");
  addScript(Svg, kScript);
  D.draw(Svg, Root, "all", kMargin, 0);
  return written(Document, Dialect::Xml);
}

} // namespace inmem::report
