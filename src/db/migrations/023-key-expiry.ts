/** An index of the API keys that expire: problems name those whose end is near. */
export function statements(): string[] {
  return ['create index api_key_expiry on api_key (expires_at) where expires_at is not null']
}
