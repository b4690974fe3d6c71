/// Makes the coders that give what was saved.
final class SavedCoders {
    private let saved: SavedScene
    private let tree: RecordTree
    private let source: StateDecoderSource
    /// Given out again as soon as nobody else has it.
    @exclusivity(unchecked) private var coder: StateDecoder?
    /// The values that finders have read, by the places of their records.
    @exclusivity(unchecked) private var found: [Int: FoundValues] = [:]

    /// - Parameter objects: what references lead to.
    init(_ saved: SavedScene, reserved: ReservedState, scene: Scene, objects: RestoredObjects) {
        self.saved = saved
        tree = objects.tree
        source = StateDecoderSource(
            names: scene.records.names, stamp: reserved.stamp, scene: scene,
            path: { [objects] in
                objects.place(of: $0).map(objects.tree.writtenPath) ?? "application state"
            },
            object: { [objects] in objects.object(numbered: $0) })
    }

    /// A coder with the application-level state (P2).
    func applicationState() -> StateDecoder {
        StateDecoder(source, number: saved.number, saved.values)
    }

    /// A coder with the state of the object that was recorded at a place (P3).
    func object(at place: Int) -> StateDecoder {
        if !isKnownUniquelyReferenced(&coder) { coder = nil }
        let made = coder ?? StateDecoder(source, number: .none, SavedValues([]))
        made.begin(
            tree.numbers[place], storyboard: tree.storyboard(of: place), tree.values(of: place),
            found: found[place] ?? FoundValues())
        coder = made
        return made
    }

    /// A coder with the state of the object above the one that was recorded at a place, apart from
    /// the one that finders of that use.
    func parent(of place: Int) -> StateDecoder {
        let parent = tree.parents[place]
        return StateDecoder(
            source, number: tree.numbers[parent], storyboard: tree.storyboard(of: parent),
            tree.values(of: parent))
    }

    /// The finders of the object that was recorded at a place were asked: what they read of its
    /// state counts as read (R18).
    func endFinding(at place: Int) {
        guard let coder, coder.number == tree.numbers[place] else { return }
        if coder.found != FoundValues() { found[place] = coder.found }
    }

    /// The numbers of the keys that neither the finders nor the decoding of an object, which has
    /// just ended, have read (R18). None are known if somebody keeps the coder, and may yet read.
    func unreadKeys(at place: Int) -> [UInt32] {
        guard isKnownUniquelyReferenced(&coder), let coder, !coder.hasFoundAll else { return [] }
        return tree.values(of: place).keys(besides: coder.found)
    }
}
