import { useEffect, useId, useState } from 'preact/hooks'
import { later } from '../app/clock.ts'
import { Button } from './button.tsx'

/** A filter of a list, as the address and the API name it. */
export type FilterRow<Name extends string> =
  | { name: Name; label: string; kind: 'text'; placeholder?: string }
  | {
      name: Name
      label: string
      kind: 'choice'
      options: readonly (readonly [value: string, label: string])[]
      any?: string
    }
  /** How far back; the value is `1h`, `24h`, `7d`, `30d` or nothing. */
  | { name: Name; label: string; kind: 'span' }

export const SPANS = [
  ['1h', 'last hour'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
] as const

/**
 * The filters above a list. Take their values from `useFilters(names)` of the router: they live in the address.
 */
export function Filters<Name extends string>({
  rows,
  values,
  onChange,
}: {
  rows: readonly FilterRow<Name>[]
  values: Record<Name, string>
  onChange: (changed: Partial<Record<Name, string>>) => void
}) {
  const isSet = rows.some(({ name }) => values[name] !== '')
  const cleared = Object.fromEntries(rows.map(({ name }) => [name, ''])) as Record<Name, string>
  return (
    <search class="filters">
      {rows.map((row) => (
        <One
          key={row.name}
          row={row}
          value={values[row.name]}
          onChange={(value) => onChange({ [row.name]: value } as Record<Name, string>)}
        />
      ))}
      {isSet && (
        <Button kind="quiet" small icon="cross" onPress={() => onChange(cleared)}>
          Clear
        </Button>
      )}
    </search>
  )
}

function One<Name extends string>({
  row,
  value,
  onChange,
}: {
  row: FilterRow<Name>
  value: string
  onChange: (value: string) => void
}) {
  const id = useId()
  return (
    <div class="filter">
      <label for={id} class="small quiet">
        {row.label}
      </label>
      {row.kind === 'text' ? (
        <TextFilter
          id={id}
          value={value}
          onChange={onChange}
          {...(row.placeholder === undefined ? {} : { placeholder: row.placeholder })}
        />
      ) : (
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{row.kind === 'span' ? 'any time' : (row.any ?? 'any')}</option>
          {optionsOf(row, value).map(([option, label]) => (
            <option key={option} value={option}>
              {label}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

/** The options of a filter, with the chosen one, which an address can name without its being an option. */
function optionsOf(
  row: Exclude<FilterRow<string>, { kind: 'text' }>,
  value: string,
): readonly (readonly [value: string, label: string])[] {
  const options = row.kind === 'span' ? SPANS : row.options
  return value === '' || options.some(([option]) => option === value) ? options : [[value, value], ...options]
}

/** A text filter, which applies after a pause in typing. */
function TextFilter({
  id,
  value,
  placeholder,
  onChange,
}: {
  id: string
  value: string
  placeholder?: string
  onChange: (value: string) => void
}) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => (typed === value ? undefined : later(400, () => onChange(typed.trim()))), [typed])
  return (
    <input
      id={id}
      type="search"
      value={typed}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onChange(typed.trim())
      }}
    />
  )
}
