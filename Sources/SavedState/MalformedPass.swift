/// Why the records of a pass cannot stand; a clause that names the object or name.
struct MalformedPass: Error, Equatable {
    var reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
