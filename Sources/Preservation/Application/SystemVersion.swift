import Glibc

/// The operating system's name and release, as uname(2) tells them: `Linux 6.18.0`.
enum SystemVersion {
    static func current() -> String {
        var name = utsname()
        guard uname(&name) == 0 else { return "Linux" }
        return "\(text(&name.sysname)) \(text(&name.release))"
    }

    private static func text<Field>(_ field: inout Field) -> String {
        withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
