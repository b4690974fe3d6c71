/// A check that finds properties that classes do not list in `restorables(_:)`.
///
/// The check uses reflection to find properties that use ``Restorable`` or another ``ListedProperty`` wrapper. It runs
/// once for each class.
final class RestorableCheck {
    private var findings: [ObjectIdentifier: [StateEncoder.Problem]] = [:]
    /// Class that was checked most recently and lists all of its properties, or `nil` if there is none.
    private var lastComplete: ObjectIdentifier?

    /// Returns the properties that the class of an object does not list.
    func unlisted(
        in object: any StateRestoring, of type: ObjectIdentifier
    ) -> [StateEncoder.Problem] {
        if type == lastComplete { return [] }
        let found = findings[type] ?? check(at: object)
        findings[type] = found
        if found.isEmpty { lastComplete = type }
        return found
    }

    private func check(at object: any StateRestoring) -> [StateEncoder.Problem] {
        var counts = RestorableTask.keys(of: object)
        var unlisted: [StateEncoder.Problem] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            // Swift stores a wrapper under "_" followed by the property's name. Other properties are skipped,
            // because the first check of a type for a conformance searches the whole program.
            for case let (label?, value) in current.children where label.hasPrefix("_") {
                guard let property = value as? any ListedProperty else { continue }
                if let count = counts[property.key.description], count > 0 {
                    counts[property.key.description] = count - 1
                } else {
                    unlisted.append(
                        StateEncoder.Problem(
                            property.key.description,
                            .restorableNotListed(property: String(label.dropFirst()))))
                }
            }
            mirror = current.superclassMirror
        }
        return unlisted
    }
}
