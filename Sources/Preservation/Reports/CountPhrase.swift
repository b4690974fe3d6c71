/// Returns a number followed by its noun in the singular or plural.
package func countPhrase(_ number: Int, _ noun: String) -> String {
    let plural = noun.hasSuffix("s") ? "\(noun)es" : "\(noun)s"
    return "\(number) \(number == 1 ? noun : plural)"
}
