/// A factory that creates decoders for a scene's saved state.
final class StateDecoderFactory {
    private let savedScene: SavedScene
    private let tree: RecordTree
    private let source: SharedDecoderData
    /// Decoder that is reused unless other code holds a reference to it.
    @exclusivity(unchecked) private var sharedDecoder: StateDecoder?
    /// Values that were read during the search for an object, keyed by record index.
    @exclusivity(unchecked) private var foundValues: [Int: FoundValues] = [:]

    /// Creates a factory for a scene's decoders.
    ///
    /// - Parameter objects: The objects to which references are resolved.
    init(
        _ savedScene: SavedScene, reservedState: ReservedState, scene: Scene,
        objects: RestoredObjects
    ) {
        self.savedScene = savedScene
        tree = objects.tree
        source = SharedDecoderData(
            names: scene.records.names, passMetadata: reservedState.passMetadata, scene: scene,
            path: { [objects] in
                objects.index(of: $0).map(objects.tree.writtenPath) ?? "application state"
            },
            object: { [objects] in objects.object(numbered: $0) })
    }

    /// Returns a decoder for the application-level state (P2).
    func applicationStateDecoder() -> StateDecoder {
        StateDecoder(source, number: savedScene.number, savedScene.values)
    }

    /// Returns a decoder for the state of the object whose record has the given index (P3).
    func decoder(at index: Int) -> StateDecoder {
        if !isKnownUniquelyReferenced(&sharedDecoder) { sharedDecoder = nil }
        let decoder = sharedDecoder ?? StateDecoder(source, number: .none, SavedValues([]))
        decoder.beginObject(
            tree.recordNumbers[index], storyboardNameNumber: tree.storyboardNameNumber(of: index),
            tree.values(of: index),
            foundValues: foundValues[index] ?? FoundValues())
        sharedDecoder = decoder
        return decoder
    }

    /// Returns a separate decoder for the state of a record's parent.
    ///
    /// Reading from this decoder does not affect the decoder for the record's own object.
    func parentDecoder(of index: Int) -> StateDecoder {
        let parentIndex = tree.parentIndices[index]
        return StateDecoder(
            source, number: tree.recordNumbers[parentIndex],
            storyboardNameNumber: tree.storyboardNameNumber(of: parentIndex),
            tree.values(of: parentIndex))
    }

    /// Stores which values were read during the search for a record's object, because these values count as read (R18).
    func recordFoundValues(at index: Int) {
        guard let sharedDecoder, sharedDecoder.number == tree.recordNumbers[index] else { return }
        if sharedDecoder.foundValues != FoundValues() {
            foundValues[index] = sharedDecoder.foundValues
        }
    }

    /// Returns the numbers of the keys whose values were read neither during the search for an object nor by the object
    /// itself (R18).
    ///
    /// Call this method immediately after the object has decoded its state. The result is empty if other code holds the
    /// decoder, because that code may still read values.
    func unreadKeyNumbers(at index: Int) -> [UInt32] {
        guard isKnownUniquelyReferenced(&sharedDecoder), let sharedDecoder,
            !sharedDecoder.hasFoundAllValues
        else { return [] }
        return tree.values(of: index).keyNumbers(excluding: sharedDecoder.foundValues)
    }
}
