/// The bounds within which YAML is read.
package enum YAMLLimits {
    /// The largest document, in bytes: 1 MiB.
    package static let size = 1 << 20
    /// The deepest nesting of lists and mappings.
    package static let depth = 32
    /// How many things that look like an alias of a known anchor may reach the parser. True ones
    /// are refused after parsing, but until then each one could multiply the work.
    static let possibleAliases = 4
    /// How many duplicate keys are looked up for their second place.
    static let duplicateKeys = 32
}
