/// A cache of the numbers of the names under which the objects of each class are recorded (P13).
///
/// Each class is looked up once.
final class ClassNames {
    /// Numbers of an object's names. The number is 0 for a name that the object does not have.
    struct Names {
        var classToken: UInt32
        var restorationClassToken: UInt32 = 0
        var storyboard: UInt32 = 0
        var storyboardIdentifier: UInt32 = 0
    }

    private let classes: ClassRegistry
    private let nameTable: NameTable
    private var tokenNumbers: [ObjectIdentifier: UInt32] = [:]
    private var lastLookup: (type: ObjectIdentifier, token: UInt32)?

    init(_ classes: ClassRegistry, in nameTable: NameTable) {
        self.classes = classes
        self.nameTable = nameTable
    }

    /// Returns the numbers of the names under which an object is recorded.
    func names(of object: any StateRestoring, _ node: RestorationNode) -> Names {
        var names = Names(classToken: token(of: type(of: object)))
        guard node.hasOrigin else { return names }
        if let type = node.restorationClass {
            names.restorationClassToken = nameTable.number(for: classes.token(for: type))
        }
        if let storyboard = node.storyboard {
            names.storyboard = nameTable.number(for: storyboard.name)
            names.storyboardIdentifier = nameTable.number(for: storyboard.identifier)
        }
        return names
    }

    private func token(of type: any StateRestoring.Type) -> UInt32 {
        let key = ObjectIdentifier(type)
        if let lastLookup, lastLookup.type == key { return lastLookup.token }
        let token = tokenNumbers[key] ?? nameTable.number(for: classes.token(for: type))
        tokenNumbers[key] = token
        lastLookup = (key, token)
        return token
    }
}
