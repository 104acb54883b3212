#include "copse/describe/periods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace copse {
namespace {

using ::testing::ElementsAre;

TEST(Periods, YearsHaveNoGaps) {
  const Periods periods = periods_of({"1993", "1990", "", "1993"});
  EXPECT_THAT(periods.names, ElementsAre("1990", "1991", "1992", "1993"));
  EXPECT_THAT(periods.places, ElementsAre(3, 0, -1, 3));
  EXPECT_EQ(periods.unknown, 0);
}

TEST(Periods, FewDaysStayDays) {
  const Periods periods = periods_of({"2020-02-28T23:59:59Z", "2020-03-01", "20200229"});
  EXPECT_THAT(periods.names, ElementsAre("2020-02-28", "2020-02-29", "2020-03-01"));
  EXPECT_THAT(periods.places, ElementsAre(0, 2, 1));
}

TEST(Periods, ManyDaysBecomeMonthsAndManyMonthsYears) {
  EXPECT_THAT(periods_of({"2019-12-31", "2020-03-02"}).names, ElementsAre("2019-12", "2020-01", "2020-02", "2020-03"));
  EXPECT_EQ(periods_of({"2001-01-01", "2010-01-01"}).names.size(), 10u);
}

TEST(Periods, AreNotFinerThanWhatIsKnown) {
  EXPECT_THAT(periods_of({"2020-02", "2020-03-04"}).names, ElementsAre("2020-02", "2020-03"));
  EXPECT_THAT(periods_of({"2020", "2020-03-04"}).names, ElementsAre("2020"));
}

TEST(Periods, SecondsAndMillisecondsCountFrom1970) {
  EXPECT_THAT(periods_of({"951782400", "951782400000", "951782399"}).names, ElementsAre("2000-02-28", "2000-02-29"));
}

TEST(Periods, DatesOfMailAreThoseOfRfc2822) {
  const Periods periods = periods_of({"Mon, 5 Apr 1993 12:34:56 -0500", "06 APR 93 01:00 GMT", "7 Apr 1993",
                                      "Thu,\t8  Apr  093 23:59:59 (PDT)", "1993-04-09"});
  EXPECT_THAT(periods.names, ElementsAre("1993-04-05", "1993-04-06", "1993-04-07", "1993-04-08", "1993-04-09"));
  EXPECT_THAT(periods.places, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(periods_of({"26-FEB-1987 15:01:01.79"}).names, ElementsAre("1987-02-26"));
  EXPECT_THAT(periods_of({"31 Dec 49", "1 Jan 2050"}).names, ElementsAre("2049-12-31", "2050-01-01"));
  EXPECT_THAT(periods_of({"31 Dec 1949", "1 Jan 50"}).names, ElementsAre("1949-12-31", "1950-01-01"));
}

TEST(Periods, WhatIsNotUnderstoodIsCounted) {
  const Periods periods =
      periods_of({"yesterday", "2020-13-01", "2020-02-30", "12", "2020-02-2", "30 Feb 2020", "5 Avr 1993", "5 ana 1993",
                  "Mon, Apr 1993", "5 Apr", "5 Apr 3", "5 Apr 19930", "5Apr 1993", "32 Jan 2020", "0 Jan 2020"});
  EXPECT_TRUE(periods.names.empty());
  EXPECT_EQ(periods.unknown, 15);
}

}  // namespace
}  // namespace copse
