import { textOf } from '../../app/words.ts'
import { useActors } from './actors.ts'

/** Who did something, by name; whole with its id for who points at it. */
export function ActorName({ id }: { id: unknown }) {
  const text = textOf(id)
  return <span title={text}>{useActors().nameOf(text)}</span>
}
