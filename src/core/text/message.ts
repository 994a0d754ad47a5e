import { Html, html } from './html.ts'

/**
 * A sentence in one language. `{name}` is a placeholder for a value, and `<name>…</name>` a part that a page wraps, such as in a link.
 * The type holds the names of the English sentence.
 */
export type Message<Name extends string = never> = string & { readonly placeholder?: Name }

/** A sentence with a number, by the plural categories of the language (CLDR). */
interface Plural<Name extends string = never> {
  one?: Message<Name>
  other: Message<Name>
}

type NamesIn<Text extends string> = PlacesIn<Text> | WrapsIn<Text>
type PlacesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlacesIn<Rest>
  : never
type WrapsIn<Text extends string> = Text extends `${string}</${infer Name}>${infer Rest}`
  ? Name | WrapsIn<Rest>
  : never

/** The type of a translation: the keys of the English messages, with the same names in each sentence. */
export type Translated<English> = {
  readonly [Key in keyof English]: English[Key] extends string
    ? Message<NamesIn<English[Key]>>
    : English[Key] extends { other: infer Other extends string }
      ? Plural<NamesIn<Other>>
      : Translated<English[Key]>
}

/** A `{name}`, or a `<name>…</name>`. */
const PLACE = /\{(\w{1,30})\}|<(\w{1,30})>([^<]{0,300})<\/\2>/g

/** Fills a sentence with its values, as plain text. Placeholders within a value are ignored. */
export function fill<Name extends string>(
  message: Message<Name>,
  values: Record<Name, string | number>,
): string {
  return message.replace(PLACE, (place, name: string | undefined) =>
    name === undefined ? place : String((values as Record<string, string | number>)[name] ?? place),
  )
}

/** The value of a placeholder on a page: a text is escaped, a function gets the part of the sentence that it wraps. */
type Value = string | number | Html | ((part: Html) => Html)

/** Fills a sentence with its values, as HTML. Its own text is escaped, and so is each value that `html` did not make. */
export function fillHtml<Name extends string>(message: Message<Name>, values: Record<Name, Value>): Html {
  const given = values as Record<string, Value>
  const parts: Html[] = []
  let end = 0
  for (const { 0: place, 1: name, 2: wrap = '', 3: inner = '', index } of message.matchAll(PLACE)) {
    parts.push(html`${message.slice(end, index)}`)
    const value = given[name ?? wrap]
    parts.push(typeof value === 'function' ? value(fillHtml(inner, values)) : toHtml(value ?? place))
    end = index + place.length
  }
  return html`${[...parts, html`${message.slice(end)}`]}`
}

function toHtml(value: string | number | Html): Html {
  return value instanceof Html ? value : html`${String(value)}`
}

const rules = new Map<string, Intl.PluralRules>()

/** The plural form of a sentence for a number. */
export function forCount<Name extends string>(
  language: string,
  plural: Plural<Name>,
  count: number,
): Message<Name> {
  const known = rules.get(language) ?? new Intl.PluralRules(language)
  rules.set(language, known)
  return (known.select(count) === 'one' ? plural.one : undefined) ?? plural.other
}
