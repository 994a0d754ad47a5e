/** Lines on a field of 20, drawn with the colour of the text. */
const PATHS = {
  overview: 'M3 11.5 10 4l7 7.5M5 10v6.5h10V10',
  webhook:
    'M10 3.2v6.3M10 9.5l-5 5M10 9.5l5 5M10 3.2a1.6 1.6 0 1 0 0-.1M4 16.4a1.6 1.6 0 1 0 0-.1M16 16.4a1.6 1.6 0 1 0 0-.1',
  delivery: 'M3 10h12M10.5 5.5 15 10l-4.5 4.5M17 4.5v11',
  event: 'M11 2.5 4.5 11.5H10L9 17.5l6.5-9H10z',
  type: 'M4 5.5h12M4 10h12M4 14.5h7',
  compose: 'M4 16l.8-3.4L13 4.4l2.6 2.6-8.2 8.2zM11.4 6l2.6 2.6',
  capture: 'M4 7V4h3M13 4h3v3M16 13v3h-3M7 16H4v-3M10 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4',
  doctor: 'M3 10h3.2l2-5 3.4 10 2-5H17',
  key: 'M12.5 4a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M10 9.9 4 16M6 14l1.8 1.8',
  invitation: 'M3 5h14v10H3zM3 5.6l7 5.2 7-5.2',
  people:
    'M7.5 4.5a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2M2.8 16c.4-2.6 2.3-4 4.7-4s4.3 1.4 4.7 4M13 5a2.3 2.3 0 0 1 0 4.4M14.5 12.3c1.6.5 2.5 1.8 2.8 3.7',
  role: 'M10 3l5.5 2v4.5c0 3.3-2.2 5.9-5.5 7.5-3.3-1.6-5.5-4.2-5.5-7.5V5zM7.5 10l1.8 1.8 3.4-3.6',
  audit: 'M5 3.5h7l3 3v10H5zM8 9h4.5M8 12h4.5',
  credits:
    'M10 3.5c3.6 0 6 1.2 6 2.7s-2.4 2.7-6 2.7-6-1.2-6-2.7 2.4-2.7 6-2.7M4 6.2V10c0 1.5 2.4 2.7 6 2.7s6-1.2 6-2.7V6.2M4 10v3.8c0 1.5 2.4 2.7 6 2.7s6-1.2 6-2.7V10',
  connection:
    'M8.5 11.5l3-3M9 6.5l1.8-1.8a3 3 0 0 1 4.3 4.3L13.3 10.8M11 13.5l-1.8 1.8a3 3 0 0 1-4.3-4.3L6.7 9.2',
  settings: 'M4 6h6M14 6h2M12 4v4M4 14h2M10 14h6M8 12v4',
  server: 'M4 4h12v5H4zM4 11h12v5H4zM6.5 6.5h.01M6.5 13.5h.01',
  file: 'M5.5 3h6l3.5 3.5V17h-9.5zM11 3v4h4',
  knowledge:
    'M4 4.5c2.5-1 4.5-.5 6 .8 1.5-1.3 3.5-1.8 6-.8v11c-2.5-1-4.5-.5-6 .8-1.5-1.3-3.5-1.8-6-.8zM10 5.3v11',
  agent: 'M5 7h10v8H5zM10 7V4M8 11h.01M12 11h.01M3 10v3M17 10v3',
  run: 'M6 4.5 15.5 10 6 15.5z',
  conversation: 'M3.5 4.5h13v9H9l-3.5 3v-3h-2z',
  domain:
    'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14M3.5 10h13M10 3c2.4 2.2 3 4.5 3 7s-.6 4.8-3 7c-2.4-2.2-3-4.5-3-7s.6-4.8 3-7',
  search: 'M8.8 3.5a5.3 5.3 0 1 0 0 10.6 5.3 5.3 0 0 0 0-10.6M12.7 12.7 17 17',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  check: 'M4 10.5 8.2 15 16 5.5',
  cross: 'M5 5l10 10M15 5 5 15',
  plus: 'M10 4v12M4 10h12',
  more: 'M4.6 10h.8M9.6 10h.8M14.6 10h.8',
  down: 'M5 8l5 5 5-5',
  right: 'M8 5l5 5-5 5',
  left: 'M12 5l-5 5 5 5',
  menu: 'M3 6h14M3 10h14M3 14h14',
  sun: 'M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1 1M14.7 14.7l1 1M15.7 4.3l-1 1M5.3 14.7l-1 1',
  moon: 'M15.5 12A6.5 6.5 0 0 1 8 4.5a6.5 6.5 0 1 0 7.5 7.5',
  system: 'M3 4h14v9H3zM7 16.5h6',
  retry: 'M15.5 8A6 6 0 1 0 16 11.5M16 4v4.2h-4.2',
  alert: 'M10 3.5 17.5 16.5h-15zM10 8.5v3.5M10 14.3h.01',
  pause: 'M7 5v10M13 5v10',
  send: 'M3 10 17 3.5 13 17l-3-5.5zM10 11.5 17 3.5',
  out: 'M8 4H4v12h4M9 10h8M13.5 6.5 17 10l-3.5 3.5',
  link: 'M8 4H4v12h12v-4M11 4h5v5M16 4l-7 7',
  lock: 'M5 9h10v7.5H5zM7 9V6.5a3 3 0 0 1 6 0V9',
  keyboard: 'M2.5 5.5h15v9h-15zM5.5 8.5h.01M8.5 8.5h.01M11.5 8.5h.01M14.5 8.5h.01M6.5 11.5h7',
  export: 'M10 3.5v9M6.5 9 10 12.5 13.5 9M4 16.5h12',
  filter: 'M3.5 5h13M6 10h8M8.5 15h3',
  clock: 'M10 3.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M10 6.5V10l2.5 2',
  upload: 'M10 12.5v-9M6.5 7 10 3.5 13.5 7M4 16.5h12',
  model: 'M6 6h8v8H6zM8 3v3M12 3v3M8 14v3M12 14v3M3 8h3M3 12h3M14 8h3M14 12h3',
  plug: 'M7 3v4M13 3v4M5 7h10v2.5a5 5 0 0 1-10 0zM10 14.5V17.5',
  trash: 'M4 6h12M8 6V4h4v2M5.5 6l.8 10.5h7.4L14.5 6',
} as const

export type Icon = keyof typeof PATHS

/** A decorative sign beside words. Screen readers skip it. */
export function Glyph({ icon, size = 18 }: { icon: Icon; size?: number }) {
  return (
    <svg class="glyph" viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" focusable="false">
      <path
        d={PATHS[icon]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}
