const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it may stand in HTML, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}

/** Markup in which every value was escaped: only `html` makes it. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

/** A template of HTML: its own text stands as it is, a value is escaped unless `html` made it. */
export function html(parts: TemplateStringsArray, ...values: (string | Html | Html[])[]): Html {
  const markup = parts.map((part, index) => part + toMarkup(values[index] ?? '')).join('')
  return new Html(markup)
}

/** Nothing, where a part of a page is left out. */
export const NOTHING = html``

function toMarkup(value: string | Html | Html[]): string {
  if (typeof value === 'string') return escapeHtml(value)
  return Array.isArray(value) ? value.map(({ markup }) => markup).join('') : value.markup
}
