/// The names that objects are recorded with (P13), each class looked up once a pass.
struct ClassNames {
    private let scene: Scene
    private var tokens: [ObjectIdentifier: UInt32] = [:]
    private var last: (type: ObjectIdentifier, token: UInt32)?

    init(_ scene: Scene) {
        self.scene = scene
    }

    /// The header of an object's record, in which its place is not told yet.
    mutating func header(of object: any StateRestoring, _ node: RestorationNode) -> RecordHeader {
        var header = RecordHeader(
            number: .none, parent: .none, kind: object.restorationKind,
            identifier: Self.unplaced, classToken: token(of: type(of: object)))
        guard node.hasOrigin else { return header }
        let table = scene.records.names
        if let type = node.restorationClass {
            header.restorationClassToken = table.number(for: scene.classes.token(for: type))
        }
        if let storyboard = node.storyboard {
            header.storyboard = table.number(for: storyboard.name)
            header.storyboardIdentifier = table.number(for: storyboard.identifier)
        }
        return header
    }

    private static let unplaced = RestorationIdentifier(recorded: "?")

    private mutating func token(of type: any StateRestoring.Type) -> UInt32 {
        let key = ObjectIdentifier(type)
        if let last, last.type == key { return last.token }
        let token = tokens[key] ?? scene.records.names.number(for: scene.classes.token(for: type))
        tokens[key] = token
        last = (key, token)
        return token
    }
}
