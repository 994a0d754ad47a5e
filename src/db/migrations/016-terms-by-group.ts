export const name = 'terms of each knowledge base by themselves'

/** The terms are written anew from the texts by a later migration (032), which reads nothing of what was here before. */
export function statements(): string[] {
  return []
}
