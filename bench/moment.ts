/** A moment that all processes of this machine mean alike, in milliseconds with their fraction. */
export function moment(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
