-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- script.lua - work for the Lua interpreter (compiled from Debian's source):
-- tables, strings, closures, garbage collection. Prints a checksum.
local rounds = tonumber(arg[1]) or 6

local function tree(depth)
  if depth == 0 then return {} end
  return { tree(depth - 1), tree(depth - 1) }
end
local function count(t)
  return t[1] and 1 + count(t[1]) + count(t[2]) or 1
end

local sum = 0
for round = 1, rounds do
  sum = sum + count(tree(14))
  local words, seen = {}, {}
  for i = 1, 20000 do
    words[i] = string.format("word %d of round %d", i * 7919 % 20000, round)
  end
  table.sort(words)
  for _, word in ipairs(words) do
    seen[word:sub(1, 9)] = (seen[word:sub(1, 9)] or 0) + 1
  end
  for _, n in pairs(seen) do sum = sum + n * n end
  local adders = {}
  for i = 1, 20000 do
    adders[i] = function(x) return x + i end
  end
  for i = 1, #adders do sum = (sum + adders[i](round)) % 2147483647 end
  sum = (sum * 31 + #table.concat(words, ",")) % 2147483647
end
print(sum)
