/// The numbers of the names that objects are recorded with (P13), each class looked up once a pass.
struct ClassNames {
    /// Names by number, 0 being none.
    struct Names {
        var classToken: UInt32
        var restorationClassToken: UInt32 = 0
        var storyboard: UInt32 = 0
        var storyboardIdentifier: UInt32 = 0
    }

    private let scene: Scene
    private var tokens: [ObjectIdentifier: UInt32] = [:]
    private var last: (type: ObjectIdentifier, token: UInt32)?

    init(_ scene: Scene) {
        self.scene = scene
    }

    /// The names that an object is recorded with.
    mutating func names(of object: any StateRestoring, _ node: RestorationNode) -> Names {
        var names = Names(classToken: token(of: type(of: object)))
        guard node.hasOrigin else { return names }
        let table = scene.records.names
        if let type = node.restorationClass {
            names.restorationClassToken = table.number(for: scene.classes.token(for: type))
        }
        if let storyboard = node.storyboard {
            names.storyboard = table.number(for: storyboard.name)
            names.storyboardIdentifier = table.number(for: storyboard.identifier)
        }
        return names
    }

    private mutating func token(of type: any StateRestoring.Type) -> UInt32 {
        let key = ObjectIdentifier(type)
        if let last, last.type == key { return last.token }
        let token =
            tokens[key] ?? scene.records.names.number(for: scene.classes.token(for: type))
        tokens[key] = token
        last = (key, token)
        return token
    }
}
