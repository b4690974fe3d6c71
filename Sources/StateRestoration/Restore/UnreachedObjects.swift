/// The objects that may have been recorded as roots although they do not stand at one: what lies
/// below a controller without an identifier (P7), and registered objects (P12).
struct UnreachedObjects {
    /// How many objects were looked at.
    private(set) var visitedCount = 0
    private let records: SceneRecords
    private var objects: [RestorationIdentifier: [any StateRestoring]] = [:]

    init(_ scene: Scene, _ live: LiveTree) {
        records = scene.records
        for object in scene.registeredObjects { add(object) }
        for root in live.roots {
            visit(root, isReached: root.restoration.identifier != nil, live)
        }
    }

    /// The first of this identifier and kind that was not restored yet.
    func object(
        _ identifier: RestorationIdentifier, _ kind: RestorationKind
    ) -> (any StateRestoring)? {
        objects[identifier]?.first {
            $0.restorationKind == kind && !$0.restoration.isRestored(in: records)
        }
    }

    private mutating func visit(
        _ object: any StateRestoring, isReached: Bool, _ live: LiveTree
    ) {
        for child in live.children(of: object) {
            let takesPart = child.restoration.identifier != nil
            if !isReached, takesPart { add(child) }
            if child.restorationKind != .view {
                visit(child, isReached: isReached && takesPart, live)
            }
            visitedCount += 1
        }
    }

    private mutating func add(_ object: any StateRestoring) {
        guard let identifier = object.restoration.identifier else { return }
        objects[identifier, default: []].append(object)
        visitedCount += 1
    }
}
