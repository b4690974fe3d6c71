import ControllerKit
import PositionedYAML
import StateRestoration

extension ScalarFormat where Value == RestorationIdentifier {
    /// A restoration identifier (I5).
    static var restorationIdentifier: Self {
        ScalarFormat("a restoration identifier", show: \.text) { scalar throws(ScalarRefusal) in
            let text = try ScalarFormat<String>.string.read(scalar)
            do throws(RestorationIdentifierError) {
                return try RestorationIdentifier(text)
            } catch {
                throw ScalarRefusal(error.description)
            }
        }
    }
}

extension PositionedScalar {
    /// The value of a property: what stands in quotes is text; else a truth value or a number if it
    /// is one.
    var propertyValue: PropertyValue {
        if isQuoted { return .string(text) }
        if let value = Bool(text) { return .bool(value) }
        if let value = Int(text) { return .integer(value) }
        if let value = Double(text), value.isFinite { return .double(value) }
        return .string(text)
    }
}
