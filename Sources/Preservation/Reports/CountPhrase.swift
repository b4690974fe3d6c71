/// Returns a number followed by its noun in the singular or plural.
package func countPhrase(_ count: Int, _ noun: String) -> String {
    let plural = noun.hasSuffix("s") ? "\(noun)es" : "\(noun)s"
    return "\(count) \(count == 1 ? noun : plural)"
}
