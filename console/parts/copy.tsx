import { useEffect, useState } from 'preact/hooks'
import { announce } from '../app/announcer.ts'
import { later, SECOND } from '../app/clock.ts'
import { textOf } from '../app/words.ts'
import { Button } from './button.tsx'

/** Puts a text where the next paste takes it from. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Pages of plain http from another machine have no clipboard. The text is selected, so that a person can copy it.
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'unseen'
    ;(document.querySelector('dialog[open]') ?? document.body).append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    return done
  }
}

/** A button that copies. Without words of its own it is a sign. */
export function Copy({ text, what = 'text', children }: { text: string; what?: string; children?: string }) {
  const [isDone, setDone] = useState(false)
  useEffect(() => (isDone ? later(2 * SECOND, () => setDone(false)) : undefined), [isDone])
  return (
    <Button
      kind={children === undefined ? 'quiet' : 'plain'}
      small
      icon={isDone ? 'check' : 'copy'}
      {...(children === undefined
        ? { label: `Copy the ${what}` }
        : { children: isDone ? 'Copied' : children })}
      onPress={async () => {
        const done = await copyText(text)
        setDone(done)
        announce(done ? `Copied the ${what}` : `The ${what} could not be copied`)
      }}
    />
  )
}

/** An id, shown whole where there is room, and one press to copy it. */
export function IdText({ id, what = 'id' }: { id: unknown; what?: string }) {
  const text = textOf(id)
  return (
    <span class="id-text">
      <code>{text}</code>
      <Copy text={text} what={what} />
    </span>
  )
}

/** A command to be run in a terminal. */
export function Command({ text, label = 'command' }: { text: string; label?: string }) {
  return (
    <div class="command">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <Copy text={text} what={label} />
    </div>
  )
}
