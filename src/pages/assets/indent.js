// JSON with a line for each member, and every other character as it came: a number keeps all of its digits.

const PIECE = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** JSON with indentation; a text of any other type unchanged. */
export function indent(text, type) {
  if (!/[/+]json\b/.test(type) || !isJson(text)) return text
  let [out, depth, before] = ['', 0, '']
  const line = () => `\n${'  '.repeat(depth)}`
  for (const [piece] of text.matchAll(PIECE)) {
    if (piece === '}' || piece === ']') {
      depth -= 1
      out += before === '{' || before === '[' ? piece : line() + piece
    } else if (piece === ',') out += piece
    else if (piece === ':') out += ': '
    else {
      out += before === '{' || before === '[' || before === ',' ? line() + piece : piece
      if (piece === '{' || piece === '[') depth += 1
    }
    before = piece
  }
  return out
}

function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
