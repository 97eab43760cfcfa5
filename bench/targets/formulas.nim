## Reads formulas recursively, makes each a closure of closures, and evaluates them with variables from a table; a
## division by zero raises out of the middle of a formula.
##
##   formulas ROUNDS
import std/[algorithm, os, strformat, strutils, tables, times]

type
  Variables = TableRef[string, int]
  Formula = proc (variables: Variables): int
  Reader = object
    text: string
    at: int

const formulasPerRound = 200

var state = 2463534242'u32

proc draw(below: int): int =
  state = state xor (state shl 13)
  state = state xor (state shr 17)
  state = state xor (state shl 5)
  int(state mod uint32(below))

proc written(depth: int): string =
  if depth == 0:
    return if draw(2) == 0: $draw(50) else: "v" & $draw(20)
  "(" & written(depth - 1) & "+-*/"[draw(4)] & written(depth - 1 - draw(min(depth, 2))) & ")"

proc read(reader: var Reader): Formula =
  if reader.text[reader.at] == '(':
    inc reader.at
    let left = reader.read()
    let operator = reader.text[reader.at]
    inc reader.at
    let right = reader.read()
    inc reader.at
    case operator
    of '+': return proc (variables: Variables): int = left(variables) +% right(variables)
    of '-': return proc (variables: Variables): int = left(variables) -% right(variables)
    of '*': return proc (variables: Variables): int = (left(variables) *% right(variables)) and 0xffff
    else: return proc (variables: Variables): int =
      let divisor = right(variables)
      if divisor == 0: raise newException(DivByZeroDefect, "division by zero")
      left(variables) div divisor
  var word = ""
  while reader.at < reader.text.len and reader.text[reader.at] in Letters + Digits:
    word.add reader.text[reader.at]
    inc reader.at
  if word[0] == 'v':
    return proc (variables: Variables): int = variables[word]
  let number = parseInt(word)
  return proc (variables: Variables): int = number

proc value(formula: Formula, variables: Variables): int =
  try: formula(variables)
  except DivByZeroDefect: -1

proc round(): int =
  var formulas: seq[(string, Formula)]
  for i in 1 .. formulasPerRound:
    var reader = Reader(text: written(5))
    formulas.add (reader.text, reader.read())
  var values: Table[string, int]
  for turn in 1 .. 20:
    let variables = newTable[string, int]()
    for i in 0 ..< 20: variables["v" & $i] = draw(100)
    for (text, formula) in formulas:
      values[text] = values.getOrDefault(text) +% formula.value(variables)
  formulas.sort(proc (a, b: (string, Formula)): int = cmp(values[a[0]], values[b[0]]))
  values[formulas[0][0]] xor formulas[^1][0].len

proc main() =
  let rounds = if paramCount() > 0: parseInt(paramStr(1)) else: 10
  var sum = 0
  for i in 1 .. rounds: sum = sum +% round()
  let endedNs = int(epochTime() * 1e6) * 1000
  echo &"{{\"sum\":\"{toHex(sum).toLowerAscii}\",\"cpuNs\":{int(cpuTime() * 1e9)},\"endedNs\":\"{endedNs}\"}}"

main()
