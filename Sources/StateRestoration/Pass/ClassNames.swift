/// A cache of the numbers that the name table assigns to class names (P13).
///
/// Each class is looked up in the registry and the name table only once.
final class ClassNameNumbers {
    /// Numbers of the names in an object's record, or 0 for each name that the object does not have.
    struct ObjectNameNumbers {
        var classTokenNumber: UInt32
        var restorationClassTokenNumber: UInt32 = 0
        var storyboardNameNumber: UInt32 = 0
        var storyboardIdentifierNumber: UInt32 = 0
    }

    private let classes: ClassRegistry
    private let nameTable: NameTable
    private var tokenNumbers: [ObjectIdentifier: UInt32] = [:]
    private var lastLookup: (type: ObjectIdentifier, tokenNumber: UInt32)?

    init(_ classes: ClassRegistry, in nameTable: NameTable) {
        self.classes = classes
        self.nameTable = nameTable
    }

    /// Returns the numbers of the names to store in an object's record.
    func names(of object: any StateRestoring, _ node: RestorationNode) -> ObjectNameNumbers {
        var names = ObjectNameNumbers(classTokenNumber: tokenNumber(of: type(of: object)))
        guard node.hasOrigin else { return names }
        if let type = node.restorationClass {
            names.restorationClassTokenNumber = nameTable.number(for: classes.token(for: type))
        }
        if let storyboard = node.storyboard {
            names.storyboardNameNumber = nameTable.number(for: storyboard.name)
            names.storyboardIdentifierNumber = nameTable.number(for: storyboard.identifier)
        }
        return names
    }

    private func tokenNumber(of type: any StateRestoring.Type) -> UInt32 {
        let typeIdentifier = ObjectIdentifier(type)
        if let lastLookup, lastLookup.type == typeIdentifier { return lastLookup.tokenNumber }
        let tokenNumber =
            tokenNumbers[typeIdentifier] ?? nameTable.number(for: classes.token(for: type))
        tokenNumbers[typeIdentifier] = tokenNumber
        lastLookup = (typeIdentifier, tokenNumber)
        return tokenNumber
    }
}
