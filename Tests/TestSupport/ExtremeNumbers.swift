/// Numbers at the limits of their types, and just beyond the limits of other types.
package enum ExtremeNumbers {
    /// Integers.
    package static let integers: [Int64] = [
        .min, .min + 1, Int64(Int32.min) - 1, -1, 0, 1, 255, Int64(Int32.max),
        Int64(UInt32.max) + 1,
        .max - 1, .max,
    ]

    /// Floating-point numbers.
    package static let doubles: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -9.3e18, -1e9, -1, -0.0, .leastNonzeroMagnitude, 0.5,
        9_007_199_254_740_992, 9.3e18, 1.9e19, .greatestFiniteMagnitude, .infinity, .nan,
    ]

    /// Numbers as text, including numbers that no type can represent.
    package static let texts =
        integers.map { "\($0)" } + [
            "9223372036854775808", "-9223372036854775809", "18446744073709551615",
            "18446744073709551616", "1" + String(repeating: "0", count: 400), "-0.0", "0.5",
            "5e-324",
            "1e18", "9.3e18", "-9.3e18", "1e308", "1e309", "-1e309",
        ]
}
