/** After these a slash begins a regular expression; after anything else it divides. */
const BEFORE_EXPRESSION =
  /(?:^|[([{,;:=!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|yield|await))$/
/** As much of what came before as tells it. */
const LONGEST_WORD = 16

/** What stands at a place of a module's text, as one piece. */
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/y
const QUOTED = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y
const EXPRESSION = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y
const TEMPLATE_TEXT = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y

/**
 * A compiled module without its comments and indentation: a seventh of what travels. Texts, templates and regular expressions stay as
 * they are.
 */
export function thin(code: string): string {
  let out = ''
  let at = 0
  /** Of each template that is open: how many braces are open in the expression in it. */
  const templates: number[] = []
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(code)?.[0] ?? ''
    at += found.length
    return found
  }
  /** The text of a template up to its end, or up to the next expression in it. */
  const template = () => {
    out += take(TEMPLATE_TEXT)
    if (code.startsWith('${', at)) {
      templates.push(0)
      out += '${'
      at += 2
    } else {
      out += '`'
      at += 1
    }
  }
  while (at < code.length) {
    const char = code[at] ?? ''
    const isSlash = char === '/'
    if (isSlash && /[/*]/.test(code[at + 1] ?? '')) {
      take(COMMENT)
    } else if (
      char === '"' ||
      char === "'" ||
      (isSlash && BEFORE_EXPRESSION.test(out.slice(-LONGEST_WORD).trimEnd()))
    ) {
      const piece = take(isSlash ? EXPRESSION : QUOTED)
      out += piece || char
      if (piece === '') at += 1
    } else if (char === '`') {
      out += char
      at += 1
      template()
    } else if (char === '\n') {
      take(/\s*/y)
      if (/[ \t]$/.test(out.slice(-1))) out = out.trimEnd()
      if (!out.endsWith('\n') && out !== '') out += '\n'
    } else {
      out += char
      at += 1
      if (templates.length === 0) continue
      const depth = templates.length - 1
      if (char === '{') templates[depth] = (templates[depth] ?? 0) + 1
      if (char === '}') {
        if (templates[depth] === 0) {
          templates.pop()
          template()
        } else templates[depth] = (templates[depth] ?? 0) - 1
      }
    }
  }
  return out
}
