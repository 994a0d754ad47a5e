/**
 * The problems that `postern doctor` names, without those of the PostgreSQL of the tests, which flushes nothing.
 * @param out what it printed
 */
export function problemsIn(out: string): string[] {
  return out.split('\n').filter((line) => line.startsWith('problem ') && !/^problem +Durability /.test(line))
}
