/// A scene's bookkeeping: which of its live objects have records, and which are marked.
package final class SceneRecords {
    /// The application's names, shared by its scenes.
    package let names: NameTable
    /// Gives out the application's numbers, shared by its scenes.
    package let numbering: RecordNumbering
    /// The record of the scene itself.
    package internal(set) var sceneNumber = RecordNumber.none
    /// Tells one application-level state from another.
    var sceneFingerprint = 0
    /// Called when something is marked for the first time since the last pass.
    package var onMark: (() -> Void)?

    /// The objects that have records.
    var recorded: [RestorationNode] = []
    /// Records that no live object has claimed yet, by where they stand; whoever is saved there
    /// takes the number over, and with it what lies below (R16).
    var unclaimed: [RecordPlace: RecordNumber] = [:]
    /// How many launches could not place an unclaimed record (R16).
    private(set) var unclaimedLaunches: [RecordNumber: Int] = [:]
    /// Records that the next pass removes because too many launches could not place them (R16).
    private(set) var expired: [RecordNumber] = []
    /// Full passes so far.
    var epoch: UInt64 = 0
    /// Whether an object is recorded only because another refers to it (P7).
    var hasOrphans = false
    private(set) var marked: [RestorationNode] = []
    private var isPassing = false
    private var hasAsked = false
    private(set) var isStructureMarked = true
    private(set) var isApplicationStateMarked = true

    package init(names: NameTable, numbering: RecordNumbering) {
        self.names = names
        self.numbering = numbering
    }

    /// Whether a pass has anything to look at.
    package var isAnythingMarked: Bool {
        isStructureMarked || isApplicationStateMarked || !marked.isEmpty
    }

    func mark(_ node: RestorationNode) {
        marked.append(node)
        askForPass()
    }

    func markStructure() {
        isStructureMarked = true
        askForPass()
    }

    func markApplicationState() {
        isApplicationStateMarked = true
        askForPass()
    }

    /// The number for an object that has none: that of the unclaimed record at its place, if there
    /// is one (R16), else a new one.
    func claimNumber(for object: any StateRestoring) -> RecordNumber {
        let above = object.restorationParent?.restoration
        // Below an object that takes no part it will be a root (P7).
        let parent = above?.identifier == nil ? sceneNumber : above?.number ?? .none
        let place = object.restoration.identifier.map {
            RecordPlace(parent: parent, identifier: $0)
        }
        return place.flatMap { unclaimed.removeValue(forKey: $0) } ?? numbering.next()
    }

    /// An object was found for a record.
    ///
    /// - Parameters:
    ///   - parent: the object whose record is the one above; nil: the scene's is.
    ///   - isUnlinked: whether it was made for the restore, or lies below one that was.
    func claim(
        _ object: any StateRestoring, _ record: SavedRecord, below parent: RestorationNode?,
        isUnlinked: Bool
    ) {
        let node = object.restoration
        node.records = self
        node.object = object
        node.number = record.header.number
        node.parentNumber = record.header.parent
        node.recordedIdentifier = record.header.identifier
        node.fingerprint = record.header.fingerprint(values: record.values)
        node.isUnlinked = isUnlinked
        recorded.append(node)
    }

    /// A record that no object was found for stays in the archive (R16).
    ///
    /// - Parameter launches: how many launches could not place it; 0: it goes with the one above.
    func keepUnclaimed(_ header: RecordHeader, launches: Int) {
        unclaimed[RecordPlace(parent: header.parent, identifier: header.identifier)] = header.number
        if launches > 0 { unclaimedLaunches[header.number] = launches }
    }

    /// A record that is not offered any more: the next pass removes it (R16).
    func expire(_ number: RecordNumber) {
        expired.append(number)
    }

    /// The records that have expired, which are then forgotten.
    func takeExpired() -> [RecordNumber] {
        defer { expired = [] }
        return expired
    }

    /// Begins a pass: hands over what is marked. What the pass itself marks waits for the next one,
    /// which it does not ask for: an object that marks itself while it encodes must not keep the
    /// application busy.
    func beginPass() -> [RestorationNode] {
        isPassing = true
        defer { marked.removeAll(keepingCapacity: true) }
        for node in marked { node.isMarked = false }
        isStructureMarked = false
        isApplicationStateMarked = false
        return marked
    }

    func endPass() {
        isPassing = false
    }

    /// Asks for a pass, once until the next one is made.
    private func askForPass() {
        guard !isPassing, !hasAsked else { return }
        hasAsked = true
        onMark?()
    }

    /// A pass is being made, or was refused: what is marked from now on asks for another.
    func noteAttempt() {
        hasAsked = false
    }

    /// The path of a record, derived from the records above it; nil if it is no live object's.
    package func path(of number: RecordNumber) -> RestorationPath? {
        let nodes = Dictionary(recorded.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
        var components: [RestorationIdentifier] = []
        var current = number
        while current != sceneNumber {
            guard let node = nodes[current], let identifier = node.recordedIdentifier,
                components.count < RestorationPath.maximumBytes
            else { return nil }
            components.append(identifier)
            current = node.parentNumber
        }
        return RestorationPath(components.reversed())
    }
}

/// Where a record stands: below which record, under which identifier.
struct RecordPlace: Hashable {
    var parent: RecordNumber
    var identifier: RestorationIdentifier
}

/// Gives out record numbers, each once in the life of an archive.
package final class RecordNumbering {
    private var last: UInt32

    /// - Parameter last: the highest number that an archive holds.
    package init(after last: UInt32 = 0) {
        self.last = last
    }

    package func next() -> RecordNumber {
        precondition(last < .max, "an archive holds at most \(UInt32.max) records")
        last += 1
        return RecordNumber(last)
    }
}
