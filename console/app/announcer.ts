/** Says a text to a screen reader. Nothing visible changes. */
export function announce(text: string): void {
  const place = document.getElementById('announcer')
  if (place === null) return
  // The same words twice in a row are no change.
  place.textContent = place.textContent === text ? `${text}\u00a0` : text
}
