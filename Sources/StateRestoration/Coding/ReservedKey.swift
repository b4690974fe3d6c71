/// The keys under which a scene's record keeps the reserved values (P4).
enum ReservedKey {
    static let bundleVersion: StaticString = "@bundleVersion"
    static let systemVersion: StaticString = "@systemVersion"
    static let interfaceIdiom: StaticString = "@interfaceIdiom"
}
