/// A check for properties that a class should list in `restorables(_:)` but does not.
///
/// The check uses reflection to find properties that use ``Restorable`` or another ``ListedProperty`` wrapper. It runs
/// once for each class.
final class RestorableCheck {
    private var problemsByType: [ObjectIdentifier: [StateEncoder.Problem]] = [:]
    /// Most recently checked class that lists all of its properties, or `nil` if there is none.
    private var lastCompleteType: ObjectIdentifier?

    /// Returns a problem for each property that an object's class does not list.
    func unlistedProperties(
        in object: any StateRestoring, of type: ObjectIdentifier
    ) -> [StateEncoder.Problem] {
        if type == lastCompleteType { return [] }
        let foundProblems = problemsByType[type] ?? check(at: object)
        problemsByType[type] = foundProblems
        if foundProblems.isEmpty { lastCompleteType = type }
        return foundProblems
    }

    private func check(at object: any StateRestoring) -> [StateEncoder.Problem] {
        var counts = RestorableTask.keyCounts(of: object)
        var unlistedProperties: [StateEncoder.Problem] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let currentMirror = mirror {
            // Swift stores a wrapper under "_" followed by the property's name. Other properties are skipped, because
            // the first conformance check for a type searches the entire program.
            for case let (label?, value) in currentMirror.children where label.hasPrefix("_") {
                guard let property = value as? any ListedProperty else { continue }
                if let count = counts[property.key.description], count > 0 {
                    counts[property.key.description] = count - 1
                } else {
                    unlistedProperties.append(
                        StateEncoder.Problem(
                            property.key.description,
                            .restorableNotListed(property: String(label.dropFirst()))))
                }
            }
            mirror = currentMirror.superclassMirror
        }
        return unlistedProperties
    }
}
