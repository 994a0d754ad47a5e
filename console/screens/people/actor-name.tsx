import { textOf } from '../../app/words.ts'
import { useActors } from './actors.ts'

/** The name of an actor; its id is shown when pointed at. */
export function ActorName({ id }: { id: unknown }) {
  const text = textOf(id)
  return <span title={text}>{useActors().nameOf(text)}</span>
}
