/** Says something to who listens to the page rather than looks at it, without moving anything. */
export function announce(text: string): void {
  const place = document.getElementById('announcer')
  if (place === null) return
  // The same words twice in a row are no change.
  place.textContent = place.textContent === text ? `${text}\u00a0` : text
}
