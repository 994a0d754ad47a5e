import { CheckField, type FormState, TextField } from '../../parts/form.tsx'

/** The fields of an MCP server, for its registration and its change. */
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
      hint="Lowercase letters, digits and dashes. It is part of the names of the tools."
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
      hint="The whole header, for example “Bearer …”. It is stored encrypted and not shown again."
    />
  )
}

export function RequiredField<V extends Fields>({ of }: Props<V>) {
  return (
    <CheckField
      of={of}
      name="required"
      label="A run fails if the server cannot be reached"
      hint="Otherwise the model is told that the tools are unavailable."
    />
  )
}
