import { CheckField, type FormState, TextField } from '../../parts/form.tsx'

/** What is said of an MCP server when it is registered, and when it is changed. */
interface Fields {
  name: string
  url: string
  authorization: string
  required: boolean
}

interface Props<V extends Fields> {
  of: FormState<V>
}

export function NameField<V extends Fields>({ of }: Props<V>) {
  return (
    <TextField
      of={of}
      name="name"
      label="Name"
      mono
      placeholder="crm"
      hint="Small letters, digits and dashes: its tools are called by it."
    />
  )
}

export function UrlField<V extends Fields>({ of, hint }: Props<V> & { hint?: string | undefined }) {
  return (
    <TextField
      of={of}
      name="url"
      label="URL"
      inputMode="url"
      mono
      placeholder="https://mcp.example.com/mcp"
      hint={hint}
    />
  )
}

export function AuthorizationField<V extends Fields>({
  of,
  optional = false,
}: Props<V> & { optional?: boolean }) {
  return (
    <TextField
      of={of}
      name="authorization"
      label="Authorization"
      type="password"
      optional={optional}
      hint="The header as it is sent, “Bearer …” for example. It is sealed, and never shown again."
    />
  )
}

export function RequiredField<V extends Fields>({ of }: Props<V>) {
  return (
    <CheckField
      of={of}
      name="required"
      label="A run that may use it fails without it"
      hint="Otherwise the model reads that its tools are unavailable."
    />
  )
}
