/// A factory for the decoders of a scene's saved state.
final class SavedCoders {
    private let saved: SavedScene
    private let tree: RecordTree
    private let source: StateDecoderSource
    /// Decoder that is reused when no other code holds it.
    @exclusivity(unchecked) private var coder: StateDecoder?
    /// Values that finders have read, keyed by record index.
    @exclusivity(unchecked) private var found: [Int: FoundValues] = [:]

    /// - Parameter objects: The objects that references are resolved to.
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

    /// Returns a decoder for the application-level state (P2).
    func applicationState() -> StateDecoder {
        StateDecoder(source, number: saved.number, saved.values)
    }

    /// Returns a decoder for the state of the object whose record has the given index (P3).
    func object(at place: Int) -> StateDecoder {
        if !isKnownUniquelyReferenced(&coder) { coder = nil }
        let made = coder ?? StateDecoder(source, number: .none, SavedValues([]))
        made.begin(
            tree.numbers[place], storyboard: tree.storyboard(of: place), tree.values(of: place),
            found: found[place] ?? FoundValues())
        coder = made
        return made
    }

    /// Returns a separate decoder for the state of the parent of a record's object.
    ///
    /// It does not affect the decoder that the parent's own finders use.
    func parent(of place: Int) -> StateDecoder {
        let parent = tree.parents[place]
        return StateDecoder(
            source, number: tree.numbers[parent], storyboard: tree.storyboard(of: parent),
            tree.values(of: parent))
    }

    /// Records the values that the finders of a record's object have read, because these values count as read (R18).
    func endFinding(at place: Int) {
        guard let coder, coder.number == tree.numbers[place] else { return }
        if coder.found != FoundValues() { found[place] = coder.found }
    }

    /// Returns the numbers of the keys that neither finding nor decoding an object has read (R18).
    ///
    /// Call this method directly after decoding. The result is empty if other code holds the decoder, because it may
    /// still read values.
    func unreadKeys(at place: Int) -> [UInt32] {
        guard isKnownUniquelyReferenced(&coder), let coder, !coder.hasFoundAll else { return [] }
        return tree.values(of: place).keys(besides: coder.found)
    }
}
