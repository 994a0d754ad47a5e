import { issuesOf } from '../../app/data/failure.ts'
import { reasonWords } from '../../app/words.ts'
import type { FormState } from '../../parts/form.tsx'
import { JsonEditor } from '../../parts/json-editor.tsx'
import { readJson } from '../../parts/json-place.ts'

/** What an event type is made of, as it is typed. */
export interface TypeValues {
  name: string
  description: string
  schema: string
  example: string
}

/** A field of JSON, with its errors at their lines, those of the server included. */
export function JsonField({
  of,
  name,
  label,
  hint,
}: {
  of: FormState<TypeValues>
  name: 'schema' | 'example'
  label: string
  hint: string
}) {
  of.fields.add(name)
  const text = of.values[name]
  const reading = readJson(text)
  const issues = of.failure === undefined ? [] : issuesOf(of.failure)
  const said = issues
    .filter(({ field }) => field === name || field.startsWith(`${name}.`))
    .map(({ field, reason, code }) => ({
      line: (reading.fault === undefined ? reading.lineOf(field.slice(name.length + 1)) : undefined) ?? 1,
      column: 1,
      words: `${field}: ${reasonWords(reason ?? code)}`,
    }))
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      <p class="hint small quiet">{hint}</p>
      <JsonEditor
        label={label}
        value={text}
        onChange={(next) => of.set(name, next)}
        faults={reading.fault === undefined ? said : [reading.fault]}
      />
    </fieldset>
  )
}

/** Why it cannot be sent: one of the two is no JSON. */
export function unreadable({ schema, example }: TypeValues): string | undefined {
  for (const [name, text] of [
    ['schema', schema],
    ['example', example],
  ] as const) {
    const { fault } = readJson(text)
    if (fault !== undefined) return `Line ${fault.line} of the ${name} is not valid JSON`
  }
  return undefined
}
