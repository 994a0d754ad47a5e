import { textOf } from '../../app/words.ts'
import { useNames } from './actors.ts'

/** The name of an actor; its id is shown when pointed at. */
export function ActorName({ id }: { id: unknown }) {
  return <span title={textOf(id)}>{useNames([id])(id)}</span>
}
