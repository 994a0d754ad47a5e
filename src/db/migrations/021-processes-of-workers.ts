export const name = 'processes of workers'

/** Who is there already may be anywhere. */
export function statements(): string[] {
  return ['alter table worker add column process text']
}
