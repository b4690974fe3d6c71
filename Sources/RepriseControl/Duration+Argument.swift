extension Duration {
    /// Parses a duration from a command line, such as `500ms`, or returns `nil` if the text is not a duration above 0.
    ///
    /// The units are ms, s, m and h. A number without a unit is a number of seconds.
    package init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let units: [Substring: Duration] = [
            "": .seconds(1), "s": .seconds(1), "ms": .milliseconds(1), "m": .seconds(60),
            "h": .seconds(3600),
        ]
        guard let number = Int(digits), (1...1_000_000).contains(number),
            let unit = units[argument[digits.endIndex...]]
        else { return nil }
        self = unit * number
    }
}
