extension ViewController {
    /// Whether a container that decodes can link the controller as its child, or present it. What an
    /// archive says may be nonsense: it is skipped then.
    func canBeLinked(to holder: ViewController) -> Bool {
        rootWindow == nil && canLie(in: holder)
    }

    /// The children, with those that were made anew where they stood when the state was saved:
    /// behind the one that stood before them (R9).
    func childrenRelinked(with saved: [ViewController?]) -> [ViewController] {
        var seen = Set(children.map(ObjectIdentifier.init))
        let existing = seen
        var followers: [ObjectIdentifier?: [ViewController]] = [:]
        var predecessor: ObjectIdentifier?
        for case let controller? in saved {
            let identity = ObjectIdentifier(controller)
            if existing.contains(identity) {
                predecessor = identity
            } else if seen.insert(identity).inserted, controller.canBeLinked(to: self) {
                followers[predecessor, default: []].append(controller)
            }
        }
        return (followers[nil] ?? [])
            + children.flatMap { [$0] + (followers[ObjectIdentifier($0)] ?? []) }
    }
}
