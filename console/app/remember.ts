/** What this browser keeps of a person's choices; where it keeps nothing, they hold for the tab. */
const held = new Map<string, string>()

export function remember(name: string, value: string): void {
  held.set(name, value)
  if (globalThis.document === undefined) return
  try {
    localStorage.setItem(`postern.${name}`, value)
  } catch {
    // Kept for the tab.
  }
}

export function recall(name: string): string | undefined {
  if (globalThis.document === undefined) return held.get(name)
  try {
    return localStorage.getItem(`postern.${name}`) ?? held.get(name)
  } catch {
    return held.get(name)
  }
}
