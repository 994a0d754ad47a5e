import { to } from '../../app/router.ts'
import { Glyph } from '../../parts/icons.tsx'

const STEPS = [
  { name: 'file', path: '/files', title: 'Upload a file', note: 'Its text is extracted.' },
  {
    name: 'base',
    path: '/knowledge',
    title: 'Create a knowledge base',
    note: 'Add the file to make it searchable.',
  },
  {
    name: 'agent',
    path: '/agents',
    title: 'Create an agent',
    note: 'Choose the knowledge base and a model.',
  },
  { name: 'ask', path: '/conversations', title: 'Ask', note: 'The agent answers and names its sources.' },
] as const

/** The way from a file to an answer, where there is nothing yet; `at` is the step that this screen is. */
export function Steps({ at }: { at: (typeof STEPS)[number]['name'] }) {
  return (
    <ol class="work-steps">
      {STEPS.map(({ name, path, title, note }, index) => (
        <li key={name} aria-current={name === at ? 'step' : undefined}>
          <span class="work-step-sign" aria-hidden="true">
            {index + 1}
          </span>
          <span>
            {name === at ? <strong>{title}</strong> : <a href={to(path)}>{title}</a>}
            <span class="small quiet work-step-note">{note}</span>
          </span>
          {index < STEPS.length - 1 && <Glyph icon="right" size={16} />}
        </li>
      ))}
    </ol>
  )
}
