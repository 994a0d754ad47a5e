/** The scopes of API keys, as a JSON list of names; null: all that the role of the key has. */
export function statements(): string[] {
  return ['alter table api_key add column scopes text']
}
