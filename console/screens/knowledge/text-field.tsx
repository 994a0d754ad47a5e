import { AreaField, type FormState } from '../../parts/form.tsx'

/** The field `text` of a document that is written or pasted. */
export function DocumentTextField<V extends { text: string }>({ of }: { of: FormState<V> }) {
  return (
    <AreaField
      of={of}
      name={'text' as keyof V & string}
      label="Text"
      rows={12}
      hint="Markdown headings (# …) are shown with the passages below them."
    />
  )
}
