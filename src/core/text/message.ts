import { Html, html } from './html.ts'

/**
 * A sentence in one language. `{name}` in it is the place of a value, and `<name>…</name>` a part that a page wraps, such as a link.
 * The type knows the names of the English one, and is a mere text otherwise.
 */
export type Message<Name extends string = never> = string & { readonly placeholder?: Name }

/** A sentence about a number, by the plural categories of the language (CLDR). */
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

/** What every language has: the keys of the English messages, and in each sentence the same names. */
export type Translated<English> = {
  readonly [Key in keyof English]: English[Key] extends string
    ? Message<NamesIn<English[Key]>>
    : English[Key] extends { other: infer Other extends string }
      ? Plural<NamesIn<Other>>
      : Translated<English[Key]>
}

/** A `{name}`, or a `<name>…</name>`. */
const PLACE = /\{(\w{1,30})\}|<(\w{1,30})>([^<]{0,300})<\/\2>/g

/** A sentence with its values, as plain text. A value is not read for places of its own. */
export function fill<Name extends string>(
  message: Message<Name>,
  values: Record<Name, string | number>,
): string {
  return message.replace(PLACE, (place, name: string | undefined) =>
    name === undefined ? place : String((values as Record<string, string | number>)[name] ?? place),
  )
}

/** What stands in a place of a page: a text is escaped, a function gets the part of the sentence that it wraps. */
type Value = string | number | Html | ((part: Html) => Html)

/** A sentence with its values, as HTML: its own text is escaped, and so is each value that `html` did not make. */
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

/** The form of a sentence that a number asks for in that language. */
export function forCount<Name extends string>(
  language: string,
  plural: Plural<Name>,
  count: number,
): Message<Name> {
  const known = rules.get(language) ?? new Intl.PluralRules(language)
  rules.set(language, known)
  return (known.select(count) === 'one' ? plural.one : undefined) ?? plural.other
}
