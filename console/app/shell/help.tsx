import { Dialog } from '../../parts/dialog.tsx'
import { keyRows, keyWords, singleKeys, switchSingleKeys } from '../keys.ts'
import { useStore } from '../store.ts'
import { closeOverlay } from './open.ts'

/** The keys that work where one is, and the switch for those without a modifier. */
export function Help() {
  const rows = useStore(keyRows)
  const isOn = useStore(singleKeys)
  const seen = new Set<string>()
  const distinct = rows.filter(({ keys }) => !seen.has(keys) && seen.add(keys))
  return (
    <Dialog title="Keyboard shortcuts" onClose={closeOverlay}>
      <ul class="help">
        {distinct.map(({ keys, label }) => (
          <li key={keys}>
            <span>{label}</span>
            <span>
              {keyWords(keys).map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => switchSingleKeys(event.currentTarget.checked)}
        />
        <span>Use shortcuts without Ctrl or ⌘</span>
      </label>
    </Dialog>
  )
}
