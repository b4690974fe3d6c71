/// What an object refers to while it encodes (P8).
final class ReferenceCollector {
    private let records: SceneRecords
    /// What was referred to, in order.
    // Asked for each object; no code of others runs while it is read or written.
    @exclusivity(unchecked) private(set) var nodes: [RestorationNode] = []

    init(_ records: SceneRecords) {
        self.records = records
    }

    /// Another object encodes.
    func begin() {
        if !nodes.isEmpty { nodes = [] }
    }

    /// The number under which an object is recorded, if it is.
    func refer(to object: any StateRestoring) -> RecordNumber {
        records.adopt(object)
        let node = object.restoration
        if node.record.number == .none { node.record.number = records.numbering.next() }
        nodes.append(node)
        return node.record.number
    }
}
